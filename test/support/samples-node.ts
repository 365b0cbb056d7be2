import { readFileSync } from 'node:fs';
import { startHostileServer, type HostileServer } from './hostile-server.js';

/** One recorded request and its answer. */
export interface Sample {
  about?: string;
  node: string;
  method: string;
  path: string;
  request?: unknown;
  headers?: Record<string, string>;
  status?: number;
  type?: string | null;
  body?: string;
  error?: string;
}

/** Every sample of the real nodes, from both files. */
export function loadSamples(): Sample[] {
  return ['samples.ndjson', 'samples-others.ndjson'].flatMap((file) =>
    readFileSync(new URL(`../fixtures/ev-node/${file}`, import.meta.url), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Sample),
  );
}

/** A node that answers each path with the given samples, whatever the request's body; other paths with a 404 page. */
export function startSamplesNode(samples: readonly Sample[]): Promise<HostileServer> {
  return startHostileServer((request, response) => {
    const sample = samples.find((each) => each.path === request.url);
    if (sample?.error !== undefined) {
      request.socket.destroy();
      return;
    }
    response.writeHead(sample?.status ?? 404, sample?.type ? { 'content-type': sample.type } : {});
    response.end(sample ? sample.body : '404 page not found\n');
  });
}
