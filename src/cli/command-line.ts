/** How events name who did something from here: whoever runs a command has the database, and bears no key. */
export const COMMAND_LINE = 'command line';
