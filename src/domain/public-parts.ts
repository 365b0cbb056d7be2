/** The parts of a chain's state that its owner can show to strangers. */
export const PUBLIC_PARTS = ['state', 'uptime', 'incidents', 'finality'] as const;
export type PublicPart = (typeof PUBLIC_PARTS)[number];
