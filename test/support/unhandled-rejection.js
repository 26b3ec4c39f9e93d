/** Loaded before a process by `node --require`: SIGUSR2 causes a rejection that nothing handles, whose message quotes a value. */
process.on('SIGUSR2', () => void Promise.reject(new Error('duplicate key: (mpxn)=(1200023305967)')));
