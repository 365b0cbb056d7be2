/** The components that are systems behind the node, each with its member of the fold. */
export const SYSTEMS = { DA_NODE: 'daNode', EXECUTION: 'execution' } as const;
export type SystemComponent = keyof typeof SYSTEMS;
export const SYSTEM_COMPONENTS = Object.keys(SYSTEMS) as SystemComponent[];

export function isSystem(component: string): component is SystemComponent {
  return Object.hasOwn(SYSTEMS, component);
}
