import { resolve } from 'node:path';
import ts from 'typescript';

/** Type errors of objects in a file, by the types of the Kubernetes API. */
export function checkTypes(objects: readonly unknown[]): string[] {
  const name = resolve('test/e2e/manifests.ts');
  const text = objects.map((each, index) => {
    const { apiVersion, kind } = each as { apiVersion: string; kind: string };
    const path = apiVersion.includes('/') ? apiVersion.replace('.k8s.io', '') : `core/${apiVersion}`;
    return `import type { ${kind} as Type${index} } from 'kubernetes-types/${path}';
      export const object${index}: Type${index} = ${JSON.stringify(each)};`;
  });
  const options = { strict: true, noEmit: true, skipLibCheck: true, types: [] };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (file, ...rest) =>
    file === name ? ts.createSourceFile(file, text.join('\n'), ts.ScriptTarget.ESNext) : read(file, ...rest);
  const fileExists = host.fileExists.bind(host);
  host.fileExists = (file) => file === name || fileExists(file);
  const program = ts.createProgram([name], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
