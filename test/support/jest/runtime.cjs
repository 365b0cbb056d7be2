const asyncHooks = require('node:async_hooks');
const { pathToFileURL } = require('node:url');

/**
 * Loads spec files as Node loads any program. Imported modules are compiled and run once per worker, not once per spec file; this
 * was most of the time of a small spec.
 */
class NodeRuntime {
  #contexts = [];

  setGlobalsForRuntime() {}

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    // Jest's source lookup hides that of Node.
    Error.prepareStackTrace = undefined;
    await import(pathToFileURL(path).href);
  }

  requireModule(path) {
    return require(path);
  }

  /** Loads Jest's framework again, because it keeps the tests of a file in its module. */
  requireInternalModule(path) {
    delete require.cache[path];
    const whole = Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage');
    const contexts = this.#contexts;
    class OfThisFile extends asyncHooks.AsyncLocalStorage {
      constructor(...given) {
        super(...given);
        contexts.push(this);
      }
    }
    Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { configurable: true, value: OfThisFile });
    try {
      return require(path);
    } finally {
      Object.defineProperty(asyncHooks, 'AsyncLocalStorage', whole);
    }
  }

  getSourceMaps() {
    return null;
  }

  enterTestCode() {}

  leaveTestCode() {}

  getAllCoverageInfoCopy() {}

  /**
   * Up to Node 22 each promise passes through every context ever used, so contexts of earlier files would cost most of the time.
   */
  teardown() {
    for (const context of this.#contexts.splice(0)) context.disable();
  }
}

module.exports = NodeRuntime;
