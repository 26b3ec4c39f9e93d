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

let source;
let cursor = after;
let lastMessageAt = Date.now();
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
follow();

/** Opens the stream unless the page is paused or hidden. It continues after the last received event, or after a long gap with the newest ones. */
function follow() {
  source?.close();
  source = undefined;
  if (hasEnded) return;
  if (isPaused) return setState('paused', 'Paused');
  if (document.hidden) return;
  setState('opening', 'Connecting');
  const start = Date.now() - lastMessageAt > MAX_GAP_MS ? 'from=newest' : `after=${encodeURIComponent(cursor)}`;
  source = new EventSource(`${address}&${start}`);
  for (const name of ['events', 'figures', 'connection'])
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

/** The browser reopens a broken stream itself; a stream that it has closed is reopened here. */
function reconnect({ target }) {
  setState('lost', 'Not connected; trying again');
  if (target.readyState === EventSource.CLOSED && target === source)
    setTimeout(() => target === source && follow(), RECONNECT_DELAY_MS);
}

function end({ data }) {
  hasEnded = true;
  source.close();
  const { isSignedOut } = JSON.parse(data);
  setState('ended', isSignedOut ? 'You have signed out. ' : 'Your session has ended. ');
  const href = isSignedOut ? '/sign-in' : '/sign-in?ended';
  const link = Object.assign(document.createElement('a'), { href, textContent: 'Sign in again' });
  state.append(link);
  pause.hidden = true;
}

function setState(name, text) {
  if (state.dataset.state === name) return;
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
