import { eventsPlot } from './plot.js';

const element = (id) => document.getElementById(id);
const { stream: address, after, listed } = element('live').dataset;
const [state, pause, list] = ['state', 'pause', 'events'].map(element);
const plot = element('plot');
const draw = eventsPlot(plot, element('plot-readout'));

/** Time after which a stream is reopened that the browser no longer reopens itself. */
const RECONNECT_DELAY_MS = 5_000;

/** Time without a message after which the page continues with the newest events, instead of all that it has missed. */
const MAX_GAP_MS = 60_000;

/** Time without a message after which a stream is considered broken: the console sends a heartbeat every 15 seconds. */
const MAX_SILENCE_MS = 40_000;
const SILENCE_CHECK_INTERVAL_MS = 5_000;

const NOT_CONNECTED = 'Not connected; trying again';

let source;
let cursor = after;
let lastMessageAt = Date.now();
/** Time at which the script opened the stream. */
let openedAt;
let isPaused = false;
let hasEnded = false;

draw(JSON.parse(plot.dataset.perMinute));
pause.hidden = false;
pause.addEventListener('click', () => {
  isPaused = !isPaused;
  pause.textContent = isPaused ? 'Resume' : 'Pause';
  follow();
});
document.addEventListener('visibilitychange', follow);
setInterval(replaceSilent, SILENCE_CHECK_INTERVAL_MS);
follow();

/** Opens the stream unless the page is paused or hidden. It continues after the last received event, or after a long gap with the newest ones. */
function follow() {
  source?.close();
  source = undefined;
  if (hasEnded) return;
  if (isPaused) return setState('paused', 'Paused');
  if (document.hidden) return;
  if (state.dataset.state !== 'lost') setState('opening', 'Connecting');
  const start = hasGap() ? 'from=newest' : `after=${encodeURIComponent(cursor)}`;
  source = new EventSource(`${address}&${start}`);
  openedAt = Date.now();
  for (const name of ['events', 'figures', 'connection', 'heartbeat'])
    source.addEventListener(name, () => (lastMessageAt = Date.now()));
  source.addEventListener('events', ({ data, lastEventId }) => {
    cursor = lastEventId;
    add(JSON.parse(data).html);
  });
  source.addEventListener('figures', ({ data }) => show(JSON.parse(data)));
  source.addEventListener('connection', ({ data }) => setConnection(JSON.parse(data).isConnected));
  source.addEventListener('ended', end);
  source.addEventListener('error', reconnect);
}

function setConnection(isConnected) {
  if (isConnected) setState('live', 'Live');
  else setState('lost', 'Events or figures do not arrive; trying again');
}

/** Returns whether the page has missed so much that it continues with the newest events. */
function hasGap() {
  return Date.now() - lastMessageAt > MAX_GAP_MS;
}

/**
 * The browser reopens a broken stream itself, after the last received event. A stream that it has closed is reopened here, and one with a
 * long gap, so that it continues with the newest events.
 */
function reconnect({ target }) {
  if (target !== source) return;
  setState('lost', NOT_CONNECTED);
  if (hasGap()) target.close();
  if (target.readyState === EventSource.CLOSED) setTimeout(() => target === source && follow(), RECONNECT_DELAY_MS);
}

/** Replaces a stream that has become silent: a browser reports no error while its packets are lost. */
function replaceSilent() {
  if (source === undefined || Date.now() - Math.max(openedAt, lastMessageAt) <= MAX_SILENCE_MS) return;
  setState('lost', NOT_CONNECTED);
  follow();
}

function end({ data }) {
  hasEnded = true;
  follow();
  const { isSignedOut } = JSON.parse(data);
  setState('ended', isSignedOut ? 'You have signed out. ' : 'Your session has ended. ');
  const href = isSignedOut ? '/sign-in' : '/sign-in?ended';
  const link = Object.assign(document.createElement('a'), { href, textContent: 'Sign in again' });
  state.append(link);
  pause.hidden = true;
}

function setState(name, text) {
  if (state.dataset.state === name && state.textContent === text) return;
  state.dataset.state = name;
  state.textContent = text;
}

/** Puts rows on top of the list, newest first, and skips events that the list already contains. */
function add(html) {
  const rows = document.createElement('template');
  rows.innerHTML = `<table><tbody>${html}</tbody></table>`;
  const listedIds = new Set([...list.rows].map((row) => row.dataset.event));
  const arrived = [...rows.content.querySelectorAll('tr')].filter((row) => !listedIds.has(row.dataset.event));
  for (const row of arrived) row.classList.add('arrived');
  list.prepend(...arrived);
  for (const row of [...list.rows].slice(Number(listed))) row.remove();
  element('no-events').hidden = list.rows.length > 0;
}

/** Shows newer figures. Unchanged elements stay, so that a selection in them and the focus are not lost. */
function show({ perMinute, ...parts }) {
  for (const [id, html] of Object.entries(parts)) replace(element(id), html);
  const drawn = JSON.stringify(perMinute);
  if (drawn === plot.dataset.perMinute) return;
  plot.dataset.perMinute = drawn;
  draw(perMinute);
}

function replace(target, html) {
  const newer = target.cloneNode(false);
  newer.innerHTML = html;
  update(target, newer);
}

/** Changes what differs between two elements of one kind, so that a link keeps the focus while the figure beside it changes. */
function update(shown, newer) {
  for (const name of shown.getAttributeNames()) if (!newer.hasAttribute(name)) shown.removeAttribute(name);
  for (const { name, value } of newer.attributes) shown.setAttribute(name, value);
  const [nodes, newerNodes] = [[...shown.childNodes], [...newer.childNodes]];
  const hasSameShape =
    nodes.length === newerNodes.length && nodes.every(({ nodeName }, at) => nodeName === newerNodes[at].nodeName);
  if (!hasSameShape) return shown.replaceChildren(...newerNodes);
  for (const [at, node] of nodes.entries()) {
    if (node.isEqualNode(newerNodes[at])) continue;
    if (node.nodeType === Node.ELEMENT_NODE) update(node, newerNodes[at]);
    else node.replaceWith(newerNodes[at]);
  }
}
