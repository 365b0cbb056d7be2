import { ScalarType, type DescField, type Message } from '@bufbuild/protobuf';
import { reflect, type ReflectMessage } from '@bufbuild/protobuf/reflect';
import type { DescMessage } from '@bufbuild/protobuf';
import { printJson } from '../domain/node-interface/print-json.js';

/**
 * A message as the specification writes it: names in snake_case, integers as numbers, bytes in hex, zeros and empty values
 * included.
 * @param missing names, in camelCase, of unknown members: they are left out
 */
export function printSpecification(type: DescMessage, message: Message, missing: readonly string[]): string {
  return printJson(toObject(reflect(type, message), '', new Set(missing)));
}

function toObject(message: ReflectMessage, path: string, missing: ReadonlySet<string>): object {
  const known = message.fields.filter((field) => {
    const isThere = field.fieldKind !== 'message' || message.isSet(field);
    return isThere && !missing.has(path + field.localName);
  });
  return Object.fromEntries(
    known.map((field) => {
      const within = `${path}${field.localName}.`;
      const print = (value: unknown): unknown =>
        printValue(field, value, (each) => toObject(each, within, missing));
      const value: unknown = message.get(field);
      return [
        field.name,
        field.fieldKind === 'list' ? [...(value as Iterable<unknown>)].map(print) : print(value),
      ];
    }),
  );
}

function printValue(
  field: DescField,
  value: unknown,
  printMessage: (message: ReflectMessage) => object,
): unknown {
  if (field.message) return printMessage(value as ReflectMessage);
  return field.scalar === ScalarType.BYTES ? Buffer.from(value as Uint8Array).toString('hex') : value;
}
