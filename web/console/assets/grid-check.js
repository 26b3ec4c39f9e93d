/** Sends the chosen archive to its upload address, and shows the response of the register. */

const element = (id) => document.getElementById(id);
const form = element('check');
const [progress, result, reasons, findings, warnings] = ['progress', 'result', 'reasons', 'findings', 'warnings'].map(
  element,
);
const titles = Object.fromEntries(
  [...document.querySelectorAll('#kinds [data-kind]')].map((each) => [each.dataset.kind, each.textContent]),
);
const MONTHS = { '01': 'May', '02': 'November' };
/** Values that a finding has in `instead`, at most. */
const MAX_INSTEAD = 10;
/** Takes the place of a status: the archive is no longer the file that was chosen. */
const CHANGED = -1;
const counted = (count) => count.toLocaleString('en-GB');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const [archive] = element('archive').files;
  const button = form.querySelector('button');
  button.disabled = true;
  result.hidden = true;
  progress.textContent = 'The archive is being sent and checked. A large one takes some minutes.';
  try {
    show(await check(archive));
  } finally {
    button.disabled = false;
    progress.textContent = '';
  }
});

/** Returns the status and body of the response; status 0 if there is none, CHANGED if the browser cannot read the archive. */
async function check(archive) {
  if (!(await isReadable(archive))) return { status: CHANGED, body: {} };
  try {
    // Without a media type the browser sends no CORS preflight request.
    const response = await fetch(form.dataset.target, { method: 'POST', body: archive.slice(0, archive.size, '') });
    return { status: response.status, body: await response.json() };
  } catch {
    return { status: (await isReadable(archive)) ? 0 : CHANGED, body: {} };
  }
}

/** Returns false if the file was changed or removed after it was chosen: browsers read only its state at that time (W3C File API). */
async function isReadable(archive) {
  try {
    await archive.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

function show({ status, body }) {
  reasons.replaceChildren();
  findings.hidden = true;
  showWarnings(body.warnings ?? []);
  if (status === CHANGED) element('archive').value = '';
  if (status === 200) showChecked(body);
  else showRejected(status, body);
  result.hidden = false;
  result.focus();
}

/** Shows what the publisher should correct although it does not prevent the publication. */
function showWarnings(listed) {
  warnings.hidden = listed.length === 0;
  element('warning-list').replaceChildren(
    ...listed.map(({ cimFile, message }) => made('li', `${cimFile}: ${message}`)),
  );
}

function showChecked({ baseModel, applied, statementsBefore, statementsAfter, findingCount, findings: listed }) {
  const counts = `It has ${counted(statementsBefore)} values and associations now, and ${counted(statementsAfter)} afterwards.`;
  if (form.dataset.base === 'yes') {
    const present =
      baseModel === null
        ? 'no base model is published for this area'
        : `the base model that applies now has ${counted(statementsBefore)}`;
    return say('The files are valid', `They have ${counted(statementsAfter)} values and associations; ${present}.`);
  }
  if (baseModel === null)
    return say('The files are valid', 'No base model is published for this area, so they were not compared with one.');
  const base = `the base model of ${MONTHS[baseModel.period]} ${baseModel.publicationYear}, version ${baseModel.version}`;
  if (!applied)
    return say(
      'The files are valid',
      `They have more than 64 MiB together, which is too much for a comparison with ${base}. They can be published.`,
    );
  if (findingCount === 0) return say('Everything fits', `The archive fits ${base}. ${counts}`);
  const all = listed.length < findingCount ? ` The first ${counted(listed.length)} are listed.` : '';
  const things = findingCount === 1 ? 'One thing does' : `${counted(findingCount)} things do`;
  say(`${things} not fit`, `The files are valid, but they contradict ${base}.${all} ${counts}`);
  element('objects').replaceChildren(...[...byObject(listed)].map(objectOf));
  findings.hidden = false;
}

/** Groups findings by object, in their order. */
function byObject(listed) {
  const objects = new Map();
  for (const finding of listed) objects.set(finding.mRID, [...(objects.get(finding.mRID) ?? []), finding]);
  return objects;
}

/** Returns the entry of an object with its findings. */
function objectOf([mRID, own]) {
  const head = made('p', made('code', mRID));
  head.className = 'difference-head';
  const list = made('dl');
  list.className = 'changes findings';
  for (const kind of Object.keys(titles)) {
    const ofKind = own.filter((finding) => finding.kind === kind);
    if (ofKind.length > 0) list.append(made('div', made('dt', titles[kind]), ...entriesOf(kind, ofKind)));
  }
  return made('li', head, list);
}

/**
 * Returns one entry for each finding. If the object itself is missing, its entry contains the missing values, closed: usually the base model
 * lacks them all, but it may have the object with another class and some of the values.
 */
function entriesOf(kind, ofKind) {
  const whole = kind === 'missing-statement' ? ofKind.find(({ name }) => name === 'rdf:type') : undefined;
  if (whole === undefined || ofKind.length === 1) return ofKind.map((finding) => made('dd', ...partsOf(finding)));
  const values = ofKind.filter((finding) => finding !== whole).map((finding) => made('li', ...partsOf(finding)));
  const count = `${counted(values.length)} missing ${values.length === 1 ? 'value' : 'values'}`;
  const closed = made('details', made('summary', count), made('ul', ...values));
  closed.className = 'minutes';
  return [made('dd', ...partsOf(whole), closed)];
}

/** Returns the statement of a finding, what the base model has instead, and its file. */
function partsOf({ name, value, cimFile, instead }) {
  const file = made('span', ` ${cimFile}`);
  file.className = 'hint';
  const isClass = name === 'rdf:type';
  const [shown, ...base] = [value, ...instead].map((each) => (isClass ? withoutPrefix(each) : each));
  const words = base.length < MAX_INSTEAD ? '; the base model has ' : '; the base model has, among others, ';
  const contrast = base.length === 0 ? [] : [words, made('code', base.join(', '))];
  if (isClass) return [`the object itself, as ${shown}`, ...contrast, file];
  return [`${withoutPrefix(name)} = `, made('code', shown), ...contrast, file];
}

function made(name, ...contents) {
  const created = document.createElement(name);
  created.append(...contents);
  return created;
}

const REASONS = {
  [CHANGED]: 'The file has changed since it was chosen. Choose it again.',
  0: 'The register could not be reached. Try again in a moment.',
  410: 'This page is more than ten minutes old. Open “Check an archive” again.',
};
const NOT_ACCEPTED = 'The archive was not accepted. Open “Check an archive” again.';
const FAILED = 'There is a problem with the register, not with the archive. Try again later.';

/** Statuses of a response whose message lists faults of the archive. */
const ARCHIVE_FAULTS = [413, 422];

function showRejected(status, { message = '' }) {
  if (!ARCHIVE_FAULTS.includes(status)) return say('The archive was not checked', reasonOf(status, message));
  say('The archive cannot be published', 'Correct these faults, then check it again:');
  for (const line of message.split('\n')) {
    const reason = document.createElement('li');
    reason.textContent = line;
    reasons.append(reason);
  }
}

function reasonOf(status, message) {
  if (status === 503) return `${message} Try again in a few minutes.`.trimStart();
  return REASONS[status] ?? (status < 500 ? NOT_ACCEPTED : FAILED);
}

function say(title, summary) {
  element('result-title').textContent = title;
  element('summary').textContent = summary;
}

/** Returns a name without the prefix of the CIM. */
function withoutPrefix(name) {
  return name.replace('cim:', '');
}
