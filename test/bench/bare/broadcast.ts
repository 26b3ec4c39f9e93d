import { type WebSocket, WebSocketServer } from 'ws';

/**
 * Baseline of subscriptions: the same WebSocket library sends each message to every socket, one after the other, and
 * does nothing else. A message from a socket is sent to all others as often as it requests.
 */
const server = new WebSocketServer({ port: 0, host: '127.0.0.1' }, () => {
  const { port } = server.address() as { port: number };
  console.log(`ready ws://127.0.0.1:${port}`);
});

server.on('connection', (socket) => {
  socket.on('message', (message: Buffer) => {
    const { text, times } = JSON.parse(String(message)) as { text: string; times: number };
    for (const other of server.clients) if (other !== socket) void sendAll(other, text, times);
  });
});

async function sendAll(socket: WebSocket, text: string, times: number): Promise<void> {
  const payload = JSON.parse(text) as unknown;
  for (let each = 0; each < times; each += 1) {
    await new Promise((resolve) => void socket.send(JSON.stringify(payload), resolve));
  }
}

process.on('SIGINT', () => process.exit(0));
