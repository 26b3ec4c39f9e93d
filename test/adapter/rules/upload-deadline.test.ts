import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { isUploading, limitUploadTime } from '../../../rest-adapter/files/upload-deadline';

const MINUTE = 60_000;
const MIB = 1024 * 1024;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** An archive on a connection, whose bytes the test counts. */
function arriving(destroyed = false) {
  const socket = Object.assign(new EventEmitter(), { bytesRead: 500, destroy: jest.fn(), destroyed });
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

  it('has no time limit if its connection is closed already', () => {
    const { isOpen } = arriving(true);
    expect([isOpen(), jest.getTimerCount()]).toEqual([false, 0]);
  });

  it.each([
    ['it has arrived completely', 'archive', 'end'],
    ['it is disconnected', 'archive', 'close'],
    ['its connection is closed after the response, before it has arrived completely', 'socket', 'close'],
  ] as const)('has no time limit any more when %s', (_, source, event) => {
    const { isOpen, ...sources } = arriving();
    expect([isOpen(), jest.getTimerCount()]).toEqual([true, 1]);
    sources[source].emit(event);
    expect([isOpen(), jest.getTimerCount()]).toEqual([false, 0]);
    expect(sources.socket.listenerCount('close')).toBe(0);
  });
});
