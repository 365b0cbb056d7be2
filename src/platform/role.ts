/** What a process does: everything, only observing, only jobs, only answering, or all but observing, of a record that is finished. */
export const ROLES = ['all', 'observer', 'worker', 'api', 'archive'] as const;

/** One of {@link ROLES}. */
export type Role = (typeof ROLES)[number];

/** Whether a process of a role does what another role is for. */
export function does(role: Role, work: Exclude<Role, 'all' | 'archive'>): boolean {
  return role === 'all' || role === work || (role === 'archive' && work !== 'observer');
}
