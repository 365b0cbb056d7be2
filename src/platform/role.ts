/**
 * The tasks of a process: everything, only observe, only run jobs, only answer queries, or (archive) everything but observe, on a
 * finished record.
 */
export const ROLES = ['all', 'observer', 'worker', 'api', 'archive'] as const;

export type Role = (typeof ROLES)[number];

/** Whether a process with this role does the work of another role. */
export function does(role: Role, work: Exclude<Role, 'all' | 'archive'>): boolean {
  return role === 'all' || role === work || (role === 'archive' && work !== 'observer');
}
