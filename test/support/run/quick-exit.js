/**
 * Ends a process of a test run at once when it has nothing left to do. Node would first free its heap object by object,
 * which takes a jest worker longer on a busy machine than the 500 ms that jest grants it.
 */
process.once('beforeExit', () => process.on('exit', () => process.reallyExit(process.exitCode ?? 0)));
