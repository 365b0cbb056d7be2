/** Uses the worker's own process: its globals are those of the running spec file, which leaves nothing behind. */
export default class WorkerEnvironment {
  global = globalThis;
  fakeTimers = null;
  fakeTimersModern = null;
  #before = { exit: Reflect.get(process, 'exit'), console, env: { ...process.env } };

  getVmContext() {
    return null;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  async setup() {}

  async teardown() {
    const { exit, console, env } = this.#before;
    process.exit = exit;
    globalThis.console = console;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
  }
}
