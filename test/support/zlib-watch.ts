import { createHook } from 'node:async_hooks';

/** Counts every packer and unpacker that anything in this process creates, a library or Node's own `fetch` included. */
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
