import { eventsPlot } from './plot.js';

const part = (id) => document.getElementById(id);
const { stream: address, after, listed } = part('live').dataset;
const [state, pause, list] = ['state', 'pause', 'events'].map(part);
const plot = part('plot');
const draw = eventsPlot(plot, part('plot-readout'));

/** Milliseconds after which a stream that the browser has given up is asked for again. */
const AGAIN = 5_000;

let source;
let cursor = after;
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

/** Opens the stream where it is wanted: not on a page that is paused, or that nobody sees. It goes on where it ended. */
function follow() {
  source?.close();
  source = undefined;
  if (hasEnded) return;
  if (isPaused) return tell('paused', 'Paused');
  if (document.hidden) return;
  tell('opening', 'Connecting');
  source = new EventSource(`${address}&after=${encodeURIComponent(cursor)}`);
  source.addEventListener('events', ({ data, lastEventId }) => {
    cursor = lastEventId;
    add(JSON.parse(data).html);
  });
  source.addEventListener('figures', ({ data }) => show(JSON.parse(data)));
  source.addEventListener('connection', ({ data }) => tellConnection(JSON.parse(data).isConnected));
  source.addEventListener('ended', end);
  source.addEventListener('error', lost);
}

function tellConnection(isConnected) {
  if (isConnected) tell('live', 'Live');
  else tell('lost', 'Events do not arrive; trying again');
}

/** A stream that broke is opened again by the browser, or else by us. */
function lost({ target }) {
  tell('lost', 'Not connected; trying again');
  if (target.readyState === EventSource.CLOSED && target === source)
    setTimeout(() => target === source && follow(), AGAIN);
}

function end({ data }) {
  hasEnded = true;
  source.close();
  const { isSignedOut } = JSON.parse(data);
  tell('ended', isSignedOut ? 'You have signed out. ' : 'Your session has ended. ');
  const href = isSignedOut ? '/sign-in' : '/sign-in?ended';
  const link = Object.assign(document.createElement('a'), { href, textContent: 'Sign in again' });
  state.append(link);
  pause.hidden = true;
}

function tell(name, text) {
  if (state.dataset.state === name) return;
  state.dataset.state = name;
  state.textContent = text;
}

/** Puts rows on top of the list, newest first. What came before, and again, is not shown twice. */
function add(html) {
  const rows = document.createElement('template');
  rows.innerHTML = `<table><tbody>${html}</tbody></table>`;
  const known = new Set([...list.rows].map((row) => row.dataset.event));
  const arrived = [...rows.content.querySelectorAll('tr')].filter((row) => !known.has(row.dataset.event));
  for (const row of arrived) row.classList.add('arrived');
  list.prepend(...arrived);
  for (const row of [...list.rows].slice(Number(listed))) row.remove();
  part('no-events').hidden = list.rows.length > 0;
}

/** Shows newer figures; what has not changed stays, with whatever somebody has selected there. */
function show({ perMinute, ...parts }) {
  for (const [id, html] of Object.entries(parts)) replace(part(id), html);
  const drawn = JSON.stringify(perMinute);
  if (drawn === plot.dataset.perMinute) return;
  plot.dataset.perMinute = drawn;
  draw(perMinute);
}

function replace(element, html) {
  const newer = element.cloneNode(false);
  newer.innerHTML = html;
  if (newer.innerHTML !== element.innerHTML) element.replaceChildren(...newer.childNodes);
}
