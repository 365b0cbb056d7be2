import { Command, CommanderError } from 'commander';
import { toPrintable, toPrintableLines } from '../domain/printable-text.js';
import { messageOf, UserError } from '../platform/errors.js';
import { redactText } from '../platform/redact.js';
import { ReadFault } from '../statistics/read/plan/read-fault.js';
import { OutputFailure, outputsTaken, ReaderLeft, requireOutputs } from './outputs.js';
import { StoppedBySignal } from './stop-signals.js';
import { readVersion } from './version.js';

interface CommandModule {
  /** Adds flags and the action to the command, and a description if there is more to say than the summary. */
  define(command: Command): void;
}

/** One command. Its module is loaded only when the command is called, so that `--help` is quick. */
interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
  /** It runs until it is stopped, whether or not its outputs are read. */
  readonly isService?: boolean;
}

/** All commands, in the order of `--help`. A new one is a file `<name>.command.ts` and an entry here. */
const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'start',
    summary: 'watch nodes and serve what was recorded',
    load: () => import('./start.command.js'),
    isService: true,
  },
  {
    name: 'status',
    summary: 'show the status of a running service',
    load: () => import('./status.command.js'),
  },
  {
    name: 'config',
    summary: 'check the settings, and print what would be used',
    load: () => import('./config.command.js'),
  },
  {
    name: 'migrate',
    summary: 'migrate the database to this version',
    load: () => import('./migrate.command.js'),
  },
  {
    name: 'demo',
    summary: 'start three small rollup nodes and watch them',
    load: () => import('./demo.command.js'),
    isService: true,
  },
  {
    name: 'check',
    summary: 'poll one node and report what Hindsight could record of it',
    load: () => import('./check.command.js'),
  },
  {
    name: 'conformance',
    summary: 'compare a node with the specification of its interface',
    load: () => import('./conformance.command.js'),
  },
  {
    name: 'report',
    summary: 'print what posting to the DA layer cost',
    load: () => import('./report.command.js'),
  },
  {
    name: 'incident',
    summary: 'list incidents, and print a post-mortem',
    load: () => import('./incident.command.js'),
  },
  {
    name: 'evidence',
    summary: 'write recorded events of a node into a folder that can be verified anywhere',
    load: () => import('./evidence.command.js'),
  },
  {
    name: 'prices',
    summary: 'show and set what the DA layer costs',
    load: () => import('./prices.command.js'),
  },
  {
    name: 'export',
    summary: 'export the record into files',
    load: () => import('./export.command.js'),
  },
  {
    name: 'import',
    summary: 'import fees that were read from the DA layer, or an exported log',
    load: () => import('./import.command.js'),
  },
  {
    name: 'keys',
    summary: 'make, list and revoke API keys',
    load: () => import('./keys.command.js'),
  },
  {
    name: 'nodes',
    summary: 'exclude nodes that were recorded by mistake',
    load: () => import('./nodes.command.js'),
  },
  {
    name: 'sql-user',
    summary: 'make a role that reads the views for BI tools by SQL',
    load: () => import('./sql-user.command.js'),
  },
  {
    name: 'verify',
    summary: 'prove that the record is as it was written',
    load: () => import('./verify.command.js'),
  },
  {
    name: 'backup',
    summary: 'copy the record into a folder, from which it can be restored',
    load: () => import('./backup.command.js'),
  },
  {
    name: 'restore',
    summary: 'write a backup into an empty database',
    load: () => import('./restore.command.js'),
  },
  {
    name: 'faults',
    summary: 'list events and statistics that could not be processed',
    load: () => import('./faults.command.js'),
  },
  {
    name: 'alerts',
    summary: 'list and try alerts, and print what would have been sent',
    load: () => import('./alerts.command.js'),
  },
  {
    name: 'rebuild',
    summary: 'replay the log into new read models and swap them in',
    load: () => import('./rebuild.command.js'),
  },
  {
    name: 'devnode',
    summary: 'run a small rollup node, to try Hindsight or to test against',
    load: () => import('./devnode.command.js'),
    isService: true,
  },
  {
    name: 'completion',
    summary: 'print a script that completes commands and flags in a shell',
    load: () => import('./completion.command.js'),
  },
];

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
/** As shells report a program that wrote into a pipe without a reader: 128 plus the number of SIGPIPE. */
const EXIT_UNREAD = 141;
const EXIT_BY_SIGNAL = 128;

/** How long to wait for readers of the last outputs of a service, or of a command that was stopped. */
const LAST_WORDS_MS = 1_000;

/** Room for many faults of the settings at once. */
const LONGEST_LINE = 20_000;

/**
 * Runs the command of a command line until both outputs have accepted everything.
 * @param argv as `process.argv`
 * @returns the exit code: 0 success, 1 failure, 2 wrong usage or settings, 128 and more if a signal stopped it, 141 if the reader
 * of an output left
 */
export async function run(argv: readonly string[]): Promise<number> {
  const code = await outcomeOf(async () => {
    const [, , first, second] = argv;
    const program = await buildProgram(first === 'help' ? second : first);
    await program.parseAsync(argv);
  });
  const isService = COMMANDS.some((command) => command.isService && command.name === argv[2]);
  if (isService || code > EXIT_BY_SIGNAL) {
    await outputsTaken(LAST_WORDS_MS);
    return code;
  }
  const codeOfOutputs = await outcomeOf(requireOutputs);
  await outputsTaken();
  return code === 0 ? codeOfOutputs : code;
}

/** Reports the reason of a failure. @returns the exit code */
async function outcomeOf(work: () => Promise<void>): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    if (error instanceof StoppedBySignal) return error.exitCode;
    // Outputs are checked separately, after every command.
    if (error instanceof OutputFailure) return 0;
    if (error instanceof ReaderLeft) return EXIT_UNREAD;
    if (error instanceof UserError) {
      report(error.message, error.remedy);
      return error.exitCode;
    }
    if (error instanceof ReadFault) {
      report(
        error.message.replaceAll('`', ''),
        'Run the command with --help to see how to narrow the request.',
      );
      return error.kind === 'BAD_INPUT' ? EXIT_USAGE : EXIT_FAILED;
    }
    report(
      messageOf(error),
      'This is a bug. Set HINDSIGHT_LOG_LEVEL=debug to see where, and please report it.',
    );
    if (process.env['HINDSIGHT_LOG_LEVEL'] === 'debug' && error instanceof Error) {
      process.stderr.write(`${toPrintableLines(redactText(error.stack ?? ''))}\n`);
    }
    return EXIT_FAILED;
  }
}

/** One line with the reason, and one with what to do. */
function report(reason: string, remedy: string): void {
  process.stderr.write(`hindsight: ${toLine(reason)}\n${toLine(remedy)}\n`);
}

/** Errors may quote untrusted text: of a node, a file, the database, the command line. */
function toLine(text: string): string {
  return toPrintable(redactText(text.trim()), LONGEST_LINE);
}

async function buildProgram(called: string | undefined): Promise<Command> {
  const program = new Command('hindsight')
    .description("The permanent record of a rollup's data availability.")
    .version(readVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help of a command')
    .showHelpAfterError('Run the command with --help to see its options.')
    .configureOutput({
      outputError: (text, write) => write(`${toLine(text.replace(/^error: /, 'hindsight: '))}\n`),
    })
    .exitOverride();
  for (const { name, summary, load } of COMMANDS) {
    const command = program.command(name).description(summary);
    // Completion names the flags of all commands.
    if (name === called || called === 'completion') (await load()).define(command);
  }
  return program;
}
