import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Time after which an archive must have ended, or at least {@link MIN_BYTES_PER_PERIOD} of it must have arrived. */
const PERIOD_MS = 600_000;
/** Slightly less than 3 Mbit/s: the archive of a project fits into one period, that of a base model into eight. */
const MIN_BYTES_PER_PERIOD = 192 * 1024 * 1024;

/** Connections with an archive in transfer, which has its own time limit. */
const uploading = new WeakSet<Socket>();

/** Returns true if an archive is arriving on the connection, so that the general time limit does not apply. */
export function isUploading(socket: Socket): boolean {
  return uploading.has(socket);
}

/** Allows an archive more time than other requests, as long as it arrives fast enough; then closes its connection. */
export function limitUploadTime(archive: IncomingMessage): void {
  const { socket } = archive;
  if (socket.destroyed) return;
  uploading.add(socket);
  let received = socket.bytesRead;
  const deadline = setInterval(() => {
    if (socket.bytesRead - received < MIN_BYTES_PER_PERIOD) socket.destroy();
    received = socket.bytesRead;
  }, PERIOD_MS);
  const end = () => {
    clearInterval(deadline);
    uploading.delete(socket);
    socket.off('close', end);
  };
  archive.once('end', end).once('close', end);
  socket.once('close', end); // an archive that is abandoned after its response has no further event
}
