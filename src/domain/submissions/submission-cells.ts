import { HIGHEST_HEIGHT, LARGEST_COUNT, LARGEST_EXPONENT, LARGEST_MONEY, LARGEST_SIZE } from '../bounds.js';
import type { JsonValue } from '../exact-json.js';

/** A cell of a row: what stands there and under which name. Undefined where the row has none, or null. */
export interface Cell {
  readonly name: string;
  readonly value: Exclude<JsonValue, null>;
}

/** A decimal number. */
const DECIMAL = /^([+-]?)(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/;
const NOT_HEX = /[^0-9a-f]/;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** The first of `names` that the row bears with a value. */
export function findCell(row: { [name: string]: JsonValue }, names: readonly string[]): Cell | undefined {
  for (const name of names) {
    const value = Object.hasOwn(row, name) ? row[name] : undefined;
    if (value !== undefined && value !== null) return { name, value };
  }
  return undefined;
}

/** Text, or a number as text; undefined for anything else. */
export function readCellText({ value }: Cell): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}

/** A height from 0 on, as a number or as text; undefined for anything else. */
export function readCellHeight(cell: Cell): bigint | undefined {
  return readCellInteger(cell, HIGHEST_HEIGHT);
}

/** A number of bytes, as a number or as text; undefined for anything else. */
export function readCellSize(cell: Cell): bigint | undefined {
  return readCellInteger(cell, LARGEST_SIZE);
}

function readCellInteger({ value }: Cell, most: bigint): bigint | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || !/^\+?\d{1,19}$/.test(text)) return undefined;
  const integer = BigInt(text.replace('+', ''));
  return integer <= most ? integer : undefined;
}

/** A count from 0 on. A list counts as many as it has. */
export function readCellCount(cell: Cell): number | undefined {
  if (Array.isArray(cell.value)) return cell.value.length;
  const count = readCellInteger(cell, BigInt(LARGEST_COUNT));
  return count === undefined ? undefined : Number(count);
}

/**
 * A price above zero as an exact decimal without exponent or trailing zeros. Null where the node does not
 * know it. Then newer versions write 0, and older ones -1 (times a factor on a retry) for "automatic".
 * Undefined for what is no price, or more than any can be.
 */
export function readCellPrice(cell: Cell): string | null | undefined {
  const parts = DECIMAL.exec(readCellText(cell)?.trim() ?? '');
  if (!parts) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts;
  if (Math.abs(Number(exponent)) > LARGEST_EXPONENT) return undefined;
  const digits = whole + fraction;
  if (sign === '-' || /^0*$/.test(digits)) return null;
  const point = whole.length + Number(exponent);
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0');
  const left = point <= 0 ? 1 : point;
  const decimals = padded.slice(left).replace(/0+$/, '');
  const integer = padded.slice(0, left).replace(/^0+(?=\d)/, '');
  if (BigInt(integer) >= LARGEST_MONEY && (BigInt(integer) > LARGEST_MONEY || decimals !== '')) {
    return undefined;
  }
  return decimals === '' ? integer : `${integer}.${decimals}`;
}

/** Bytes of a known length, sent in hex (with or without 0x, any case) or base64, as lower-case hex. */
export function readHexOfLength(text: string, byteLength: number): string | undefined {
  const digits = text.trim().toLowerCase().replace(/^0x/, '');
  if (digits.length === byteLength * 2 && !NOT_HEX.test(digits)) return digits;
  const base64 = text.trim();
  if (Math.ceil(byteLength / 3) * 4 - base64.length > 2 || !BASE64.test(base64)) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length === byteLength ? bytes.toString('hex') : undefined;
}
