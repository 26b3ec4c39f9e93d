/** Loaded before a process by `node --require`: its services speak an earlier version of the messages between services. */
const Module = require('node:module');

const load = Module._load;
Module._load = (request, ...rest) => {
  const exported = load(request, ...rest);
  return request.endsWith('/link-messages') ? { ...exported, LINK_PROTOCOL: 'register.0' } : exported;
};
