import type { PathOperation, Paths } from '../openapi/described.js';
import { CONTENT_TYPES, EXPORT_FORMATS } from './export-column.js';
import { EXPORT_NAMES, EXPORTS, type ExportName } from './exports.js';
import { PAGING, type Parameters } from './parameters.js';

const ROUTE = '/export/{file}';

/** Replaces the export route in the OpenAPI document by one path for each kind of file, with the parameters that it takes. */
export function withExportPaths({ [ROUTE]: route, ...paths }: Paths): Paths {
  const operation = route?.get;
  if (operation === undefined) return paths;
  const own = EXPORT_NAMES.map((name) => [`/export/${name}.{format}`, { get: toOperation(name, operation) }]);
  return { ...paths, ...(Object.fromEntries(own) as Paths) };
}

function toOperation(name: ExportName, operation: PathOperation): PathOperation {
  const types = EXPORT_FORMATS.map((format) => CONTENT_TYPES[format].split(';')[0] ?? '');
  const content = Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' as const } }]));
  const parameters: Parameters = { ...EXPORTS[name].parameters, ...PAGING };
  return {
    ...operation,
    operationId: `${operation.operationId}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    summary: `${operation.summary}: ${name}`,
    parameters: [
      { name: 'format', in: 'path', required: true, schema: { type: 'string', enum: [...EXPORT_FORMATS] } },
      ...Object.entries(parameters).map(([parameter, { about, isNeeded = false }]) => ({
        name: parameter,
        in: 'query' as const,
        description: about,
        required: isNeeded,
        schema: { type: 'string' as const },
      })),
    ],
    responses: { ...operation.responses, 200: { description: 'The rows, as they are read.', content } },
  };
}
