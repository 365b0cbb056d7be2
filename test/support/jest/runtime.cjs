const { pathToFileURL } = require('node:url');

/**
 * Loads spec files as Node loads any program. What they import is compiled and run once in a worker, and not once for each
 * of them. That is most of the time of a small spec.
 */
class NodeRuntime {
  setGlobalsForRuntime() {}

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    // Jest's own way to find a line of a source hides that of Node.
    Error.prepareStackTrace = undefined;
    await import(pathToFileURL(path).href);
  }

  requireModule(path) {
    return require(path);
  }

  /** Jest's framework, anew: it keeps the tests of a file in its module. */
  requireInternalModule(path) {
    delete require.cache[path];
    return require(path);
  }

  getSourceMaps() {
    return null;
  }

  enterTestCode() {}

  leaveTestCode() {}

  getAllCoverageInfoCopy() {}

  teardown() {}
}

module.exports = NodeRuntime;
