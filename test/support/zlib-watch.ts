import { createHook } from 'node:async_hooks';

/** Counts every compressor and decompressor created in this process, also by a library or by Node's own `fetch`. */
export function watchZlib(): { stop(): number } {
  let created = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'ZLIB') created += 1;
    },
  }).enable();
  return {
    stop: () => {
      hook.disable();
      return created;
    },
  };
}
