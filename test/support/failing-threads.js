/**
 * Loaded before a process by `node --require`, also in each of its threads: while the file THREAD_FAILURE_FILE contains
 * "start", no thread can start; while it contains "encode", a thread ends when it encodes a text.
 */
const { existsSync, readFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const file = process.env.THREAD_FAILURE_FILE;
const failsAt = (step) => existsSync(file) && readFileSync(file, 'utf8') === step;

if (!isMainThread) {
  if (failsAt('start')) throw new Error('the test lets no thread start');
  const { encode } = TextEncoder.prototype;
  TextEncoder.prototype.encode = function encodeOrEnd(text) {
    if (failsAt('encode')) process.exit(1);
    return encode.call(this, text);
  };
}
