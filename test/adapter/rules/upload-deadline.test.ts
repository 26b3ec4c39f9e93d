import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { isUploading, limitUploadTime } from '../../../rest-adapter/files/upload-deadline';

const MINUTE = 60_000;
const MIB = 1024 * 1024;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** An archive on a connection, whose bytes the test counts. */
function arriving() {
  const socket = { bytesRead: 500, destroy: jest.fn() };
  const archive = Object.assign(new EventEmitter(), { socket });
  limitUploadTime(archive as unknown as IncomingMessage);
  return { archive, socket, isOpen: () => isUploading(socket as never) };
}

describe('An archive that arrives', () => {
  it('may take ten minutes for each 192 MiB, as that of a base model does', () => {
    const { socket } = arriving();
    for (let period = 1; period <= 8; period += 1) {
      socket.bytesRead += 192 * MIB;
      jest.advanceTimersByTime(10 * MINUTE);
    }
    expect(socket.destroy).not.toHaveBeenCalled();
    socket.bytesRead += 192 * MIB - 1;
    jest.advanceTimersByTime(10 * MINUTE);
    expect(socket.destroy).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['has arrived completely', 'end'],
    ['is disconnected', 'close'],
  ])('has no time limit any more when it %s', (_, event) => {
    const { archive, socket, isOpen } = arriving();
    expect(isOpen()).toBe(true);
    archive.emit(event);
    jest.advanceTimersByTime(20 * MINUTE);
    expect(socket.destroy).not.toHaveBeenCalled();
    expect(isOpen()).toBe(false);
  });
});
