/** Loaded before a process by `node --require`: prints the host of every connection that the process opens. */
const { Socket } = require('node:net');

const connect = Socket.prototype.connect;
Socket.prototype.connect = function connectAndTell(...given) {
  const [first, second] = Array.isArray(given[0]) ? given[0] : given;
  const host = typeof first === 'object' ? (first.host ?? first.path) : second;
  process.stderr.write(`connects to ${host ?? 'localhost'}\n`);
  return connect.apply(this, given);
};
