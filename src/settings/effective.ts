import { Document, isCollection, isScalar } from 'yaml';
import { redactText } from '../platform/redact.js';
import { merge, type SettingSources } from './merge.js';
import { SETTINGS } from './setting-list.js';
import { isRecord, readValues } from './settings-file.js';

/** Keys whose values are secrets, whatever is below them. */
const SECRET = /^(?:apiKeys?|token|secret|headers|statusHeaders)$/;

/** Keys of a destination of alerts that are shown. All others have secrets, or addresses whose path is one. */
const SHOWN_OF_DESTINATION = /^(?:id|telegram|email|from|remind)$/;

/**
 * The settings that a service would use, as a settings file, with the source of each as a comment. Secrets are masked.
 * @param sources settings without faults
 */
export function printSettings(sources: SettingSources): string {
  const file = readValues(sources.file, sources.env);
  const { values, places } = merge(sources, file.values);
  const document = new Document(mask(values));
  for (const { key } of SETTINGS) {
    const path = key.split('.');
    const place = isSet(file.values, path) ? file.placeOf(path) : undefined;
    const comment = ` ${places.get(key) ?? place ?? 'default'}`;
    const value = document.getIn(path, true);
    if (isScalar(value)) value.comment = comment;
    if (isCollection(value)) value.commentBefore = comment;
  }
  return document.toString();
}

function isSet(values: unknown, path: readonly string[]): boolean {
  const [name, ...below] = path;
  if (name === undefined) return true;
  return isRecord(values) && (values[name] ?? undefined) !== undefined && isSet(values[name], below);
}

function mask(value: unknown, key = ''): unknown {
  if (key === 'destinations' && isRecord(value)) return maskDestination(value);
  if (Array.isArray(value)) return value.map((item) => mask(item, key));
  if (isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, below]) => [name, mask(below, SECRET.test(key) ? key : name)]),
    );
  }
  if (value === null || value === undefined) return value;
  if (SECRET.test(key)) return '***';
  if (typeof value !== 'string') return value;
  return key === 'heartbeat' ? maskCalled(value) : redactText(value);
}

function maskDestination(destination: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(destination).map(([name, value]) => [
      name,
      SHOWN_OF_DESTINATION.test(name) ? value : maskCalled(value),
    ]),
  );
}

/** An address without its path; nothing of any other value. */
function maskCalled(value: unknown): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  return url === undefined || url.host === '' ? '***' : `${url.protocol}//${url.host}/***`;
}
