/** What a process does: everything, only observing, only jobs, only answering. */
export const ROLES = ['all', 'observer', 'worker', 'api'] as const;

/** One of {@link ROLES}. */
export type Role = (typeof ROLES)[number];

/** Whether a process of a role does what another role is for. */
export function does(role: Role, work: Exclude<Role, 'all'>): boolean {
  return role === 'all' || role === work;
}
