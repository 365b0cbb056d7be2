import { toPrintable } from '../../domain/printable-text.js';
import { bytes, count } from '../data/words.js';
import { CopyButton } from './copy-button.js';

/** A value in short form, with the exact value on hover. */
export function Exactly({ short, exact }: { readonly short: string; readonly exact: string }) {
  return <span title={exact}>{short}</span>;
}

/** A number of bytes, exact on hover. */
export function Size({ of }: { readonly of: number | null }) {
  return of === null ? <>unknown</> : <Exactly short={bytes(of)} exact={`${count(of)} bytes`} />;
}

const LONGEST_ID = 24;
const ENDS = 8;

/** A hash or an id: its ends, the whole on hover, and a button that copies it. @param name of the value, for the button */
export function ShortId({ name, id }: { readonly name: string; readonly id: string }) {
  const short = id.length > LONGEST_ID ? `${id.slice(0, ENDS)}…${id.slice(-ENDS)}` : id;
  return (
    <span class="short-id">
      <code title={toPrintable(id)}>{toPrintable(short)}</code>
      <CopyButton isBare name={`Copy ${name}`} text={() => id} />
    </span>
  );
}
