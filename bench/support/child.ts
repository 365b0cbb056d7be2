import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A separate process, so that its work does not count as Hindsight's. */
export interface Child<Ready> {
  /** The child's ready message. */
  readonly ready: Ready;
  /** Sends the child a message; replies arrive in the order of the messages. */
  ask<Answer>(question: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

/**
 * Starts a file of this folder as its own process. It calls `process.send(…)` once when it is ready, and once for each message
 * that it receives; it exits when its channel closes.
 *
 * @param options passed to the child as JSON in its only argument
 */
export async function startChild<Ready>(file: string, options: unknown): Promise<Child<Ready>> {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const child = fork(path, [JSON.stringify(options)], { serialization: 'advanced' });
  const ready = await nextMessage<Ready>(child);
  let last: Promise<unknown> = Promise.resolve();
  return {
    ready,
    ask: <Answer>(question: unknown) => {
      const answer = last.then(() => {
        child.send(question as object);
        return nextMessage<Answer>(child);
      });
      last = answer.catch(() => undefined);
      return answer;
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const gone = new AbortController();
  const exited = once(child, 'exit', { signal: gone.signal }).then(() => {
    throw new Error('the separate process of the bench ended');
  });
  exited.catch(() => undefined);
  try {
    const [message] = (await Promise.race([once(child, 'message'), exited])) as [Message];
    return message;
  } finally {
    gone.abort();
  }
}

/** For the child: its options. */
export function readOptions(): unknown {
  return JSON.parse(process.argv[2] ?? '{}');
}

/** For the child: sends the ready message, then answers each message until the bench disconnects. */
export function serveParent(ready: unknown, answer: (question: unknown) => unknown = () => null): void {
  process.once('disconnect', () => process.exit(0));
  process.on('message', (question) => {
    void Promise.resolve(answer(question)).then((reply) => process.send?.(reply));
  });
  process.send?.(ready);
}
