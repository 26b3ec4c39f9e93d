import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';

/** A name server on this machine. */
export interface NameServer {
  /** `127.0.0.1:<port>`. */
  readonly address: string;
  /** Returns the number of queries for a name. */
  queriesFor(name: string): number;
  close(): Promise<void>;
}

const TYPE_A = 1;
const HEADER = 12;

/** Starts a server whose function returns the IPv4 addresses of a name; for `silent` the server sends no response. */
export async function nameServer(
  addressesOf: (name: string, time: number) => readonly string[] | 'silent',
): Promise<NameServer> {
  const times = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (query, peer) => {
    const { name, end, type } = querySectionOf(query);
    const time = (times.get(name) ?? 0) + (type === TYPE_A ? 1 : 0);
    times.set(name, time);
    const addresses = addressesOf(name, time);
    if (addresses === 'silent') return;
    const responses = type === TYPE_A ? addresses.filter((address) => isIPv4(address)) : [];
    socket.send(responseTo(query.subarray(0, end), responses), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queriesFor: (name) => times.get(name) ?? 0,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function querySectionOf(query: Buffer) {
  const labels: string[] = [];
  let at = HEADER;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString('latin1'));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Returns a response (RFC 1035): the queried name, and an A record with TTL 0 for each address. */
function responseTo(querySection: Buffer, addresses: readonly string[]): Buffer {
  const head = Buffer.from(querySection);
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, HEADER, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([head, ...records]);
}
