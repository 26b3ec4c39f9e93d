import { createHash } from 'node:crypto';
import type {
  DifferenceItem,
  DifferenceModelHeader,
  Statement,
} from '../../subgraphs/grid-models/rdf/difference-model';
import { writeDifferenceModel } from '../../subgraphs/grid-models/rdf/write-difference-model';
import { fullModelXml } from './grid-base-archives';

/** A valid header of the member EQ. */
export const EQ_HEADER: DifferenceModelHeader = {
  mRID: '2c0f5d3e-7a41-4b8e-9d27-51c4b1a7e0f3',
  created: '2026-04-17T09:30:00Z',
  scenarioTime: '2026-05-01T00:00:00Z',
  modelingAuthoritySet: 'http://example.org/Norfolk',
  profile: ['http://iec.ch/TC57/ns/CIM/CoreEquipment-EU/3.0'],
  description: 'A generated reinforcement.',
  version: '001',
  dependentOn: ['8a1d3f52-0c6b-4e97-a2f4-6d5e9c8b7a10'],
  supersedes: [],
};

/** Returns a difference model of about `bytes` bytes: new lines with terminals and locations, and changed values. */
export function generatedGridModel(bytes: number): Buffer {
  const spans = Math.max(1, Math.round(bytes / BYTES_OF_SPAN));
  const model = { header: EQ_HEADER, forward: forwardItems(spans), reverse: reverseItems(spans) };
  return Buffer.concat([...writeDifferenceModel(model)].map((piece) => Buffer.from(piece)));
}

/** Average number of bytes of the {@link forwardItems} and {@link reverseItems} of one span. */
const BYTES_OF_SPAN = 4_150;

/** Yields a line, its two terminals, the node between, and its location. */
function* forwardItems(spans: number): Generator<DifferenceItem> {
  for (let number = 0; number < spans; number += 1) {
    yield line(number);
    for (const end of [1, 2]) yield terminal(number, end);
    yield whole('cim:ConnectivityNode', id('node', number), [
      text('cim:IdentifiedObject.name', `Node ${number}`),
      to('cim:ConnectivityNode.ConnectivityNodeContainer', id('bay', number % 97)),
    ]);
    yield whole('cim:Location', id('location', number), [
      to('cim:Location.CoordinateSystem', id('system', 0)),
      to('cim:Location.PowerSystemResources', id('line', number)),
    ]);
    for (let point = 1; point <= 2 + (number % 3); point += 1) yield position(number, point);
    yield changed(number, 'r', 0.11 + number / 1e6);
  }
}

function* reverseItems(spans: number): Generator<DifferenceItem> {
  for (let number = 0; number < spans; number += 1) yield changed(number, 'r', 0.12 + number / 1e6);
}

function line(number: number): DifferenceItem {
  const mRID = id('line', number);
  const long = number % 4 === 0 ? [text('cim:IdentifiedObject.description', 'Overhead line, 33 kV; “as it is”')] : [];
  return whole('cim:ACLineSegment', mRID, [
    text('cim:IdentifiedObject.mRID', mRID),
    text('cim:IdentifiedObject.name', `Line ${number}`),
    ...long,
    text('cim:Conductor.length', String(number % 1000)),
    text('cim:ACLineSegment.r', (0.01 * (number % 100)).toFixed(4)),
    text('cim:ACLineSegment.x', (0.02 * (number % 100)).toFixed(4)),
    text('eu:IdentifiedObject.shortName', `L-${number}`),
    to('cim:Equipment.EquipmentContainer', id('container', number % 31)),
    to('cim:ConductingEquipment.BaseVoltage', id('voltage', number % 3)),
  ]);
}

function terminal(number: number, end: number): DifferenceItem {
  return whole('cim:Terminal', id(`terminal ${end}`, number), [
    text('cim:ACDCTerminal.sequenceNumber', String(end)),
    { name: 'cim:Terminal.phases', kind: 'enumeration', value: 'cim:PhaseCode.ABC' },
    to('cim:Terminal.ConductingEquipment', id('line', number)),
    to('cim:Terminal.ConnectivityNode', id('node', number + end - 1)),
  ]);
}

function position(number: number, point: number): DifferenceItem {
  return whole('cim:PositionPoint', id(`point ${point}`, number), [
    text('cim:PositionPoint.sequenceNumber', String(point)),
    text('cim:PositionPoint.xPosition', (0.75 + (number % 500) / 1000).toFixed(5)),
    text('cim:PositionPoint.yPosition', (52.4 + point / 1000).toFixed(5)),
    to('cim:PositionPoint.Location', id('location', number)),
  ]);
}

function changed(number: number, attribute: string, value: number): DifferenceItem {
  const statements = [text(`cim:ACLineSegment.${attribute}`, value.toFixed(6))];
  return { mRID: id('old line', number), type: 'rdf:Description', isObject: false, statements };
}

function whole(type: string, mRID: string, statements: readonly Statement[]): DifferenceItem {
  return { mRID, type, isObject: true, statements };
}

function text(name: string, value: string): Statement {
  return { name, kind: 'text', value };
}

function to(name: string, value: string): Statement {
  return { name, kind: 'association', value };
}

/** Returns a UUID that is the same in every run. */
function id(kind: string, number: number): string {
  const hex = createHash('sha256').update(`${kind} ${number}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Average number of bytes that a span takes in {@link generatedBaseModel}, and in {@link generatedProject}. */
const BYTES_OF_BASE_SPAN = 3_640;
const BYTES_OF_CHANGED_SPAN = 1_570;

/** Returns a full model of about `bytes` bytes: the objects that {@link generatedGridModel} adds. */
export function generatedBaseModel(bytes: number): Buffer {
  const spans = Math.max(1, Math.round(bytes / BYTES_OF_BASE_SPAN));
  const rdf = [...writeDifferenceModel({ header: null, forward: forwardItems(spans) })].join('');
  const items = rdf.slice(rdf.indexOf('>', rdf.indexOf('forwardDifferences')) + 1, rdf.indexOf('</dm:forward'));
  return Buffer.from(fullModelXml('EQ', items));
}

/** Returns a difference model of about `bytes` bytes that replaces each line of a base model by another, and removes some of its points. */
export function generatedProject(bytes: number): Buffer {
  const spans = Math.max(1, Math.round(bytes / BYTES_OF_CHANGED_SPAN));
  const numbers = Array.from({ length: spans }, (_, number) => number);
  const replaced = (number: number) => {
    const { statements, ...object } = line(number);
    const longer = statements.map((each) => (each.name === 'cim:Conductor.length' ? { ...each, value: '7.25' } : each));
    return { ...object, statements: longer };
  };
  const model = {
    header: EQ_HEADER,
    reverse: numbers.flatMap((number) => (number % 5 === 0 ? [line(number), position(number, 1)] : [line(number)])),
    forward: numbers.map(replaced),
  };
  return Buffer.concat([...writeDifferenceModel(model)].map((piece) => Buffer.from(piece)));
}
