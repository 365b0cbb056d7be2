/** Author of events from the command line: people who run commands have the database, and no API key. */
export const COMMAND_LINE = 'command line';
