import { hash } from 'node:crypto';
import { comparedForm } from '../../domain/submissions/cut-row.js';

/** Shorter rows cost less to read again than to look up. */
const LONG = 4_096;

/** The forms in which rows are compared; those of long rows are kept from one answer to the next. */
export class RowForms {
  private long = new Map<string, string>();

  /** One for each row, in their order. */
  of(rows: readonly string[]): string[] {
    const long = new Map<string, string>();
    const forms = rows.map((text) => {
      if (text.length < LONG) return comparedForm(text);
      const key = hash('sha256', text);
      const form = this.long.get(key) ?? comparedForm(text);
      long.set(key, form);
      return form;
    });
    this.long = long;
    return forms;
  }
}
