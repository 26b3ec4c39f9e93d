/**
 * Loaded before a process by `node --require`: its subgraphs are of an earlier release, without the fields that
 * EARLIER_RELEASE_LACKS lists, such as `AccessRecord.version,Admission.allowed`.
 */
const Module = require('node:module');

const missing = (process.env.EARLIER_RELEASE_LACKS ?? '').split(',').map((field) => field.split('.'));

function withoutFields(schema) {
  for (const [type, field] of missing) delete schema.getType(type)?.getFields()[field];
  return schema;
}

const load = Module._load;
Module._load = (request, ...rest) => {
  const exported = load(request, ...rest);
  if (!request.endsWith('/subgraph-link')) return exported;
  const localLink = (name, schema, ...more) => exported.localLink(name, withoutFields(schema), ...more);
  return { ...exported, localLink };
};
