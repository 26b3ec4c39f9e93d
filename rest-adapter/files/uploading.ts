import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Milliseconds in which an archive must have arrived: 192 MiB at less than 3 Mbit/s. */
const ARRIVED_WITHIN = 600_000;

/** Connections on which an archive is arriving: they have a time limit of their own. */
const uploading = new WeakSet<Socket>();

/** Whether the time limit of other requests is not that of what is arriving on this connection. */
export function isUploading(socket: Socket): boolean {
  return uploading.has(socket);
}

/** Gives an archive longer to arrive than other requests have, and no longer than that. */
export function limitArrival(archive: IncomingMessage): void {
  const { socket } = archive;
  uploading.add(socket);
  const deadline = setTimeout(() => socket.destroy(), ARRIVED_WITHIN);
  const end = () => {
    clearTimeout(deadline);
    uploading.delete(socket);
  };
  archive.once('end', end).once('close', end);
}
