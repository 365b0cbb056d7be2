import { sendMail } from '../alerts/send-mail.js';
import type { CsvLocale } from '../api/export/row-writers.js';
import { toReportMail } from '../api/reports/report-mail.js';
import type { MailDestination } from '../domain/alerts/destinations.js';
import type { Millis } from '../domain/time.js';
import { UserError } from '../platform/errors.js';
import type { ChainReport } from '../statistics/read/cost/chain-report.reader.js';
import { readSettings, type SettingOptions } from './setting-options.js';
import { catchStopSignals } from './stop-signals.js';

/** The mail address of a destination. @throws UserError unless the settings have a destination with a mail address under this name */
export function findMailbox(id: string, options: SettingOptions): MailDestination {
  for (const destination of readSettings(options).alerts.destinations)
    if (destination.id === id && destination.kind === 'email') return destination;
  throw new UserError(
    `The settings name no mail address ${JSON.stringify(id.slice(0, 60))}.`,
    'List it under alerts.destinations in hindsight.yaml, with email, smtp and from.',
    2,
  );
}

/** Sends reports once. @throws UserError if there is nothing to send, or the server did not accept it */
export async function mailReports(
  destination: MailDestination,
  reports: readonly ChainReport[],
  locale: CsvLocale,
  at: Millis,
): Promise<void> {
  if (reports.length === 0) {
    throw new UserError(
      'Nothing is recorded yet: no mail was sent.',
      '`hindsight status` shows what is recorded.',
    );
  }
  const message = { ...toReportMail(reports, locale), key: `report-now-${at}`, at };
  const stop = catchStopSignals();
  try {
    const failure = await sendMail(destination, message, stop.signal);
    stop.signal.throwIfAborted();
    if (failure) {
      throw new UserError(
        `The mail was not accepted: ${failure.detail}.`,
        'Check the address under alerts in hindsight.yaml, and try again.',
      );
    }
  } finally {
    stop.release();
  }
  process.stdout.write(`Sent to ${destination.id}: ${message.subject}\n`);
}
