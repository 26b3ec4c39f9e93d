import { appliedModels } from './chapters/applied-models';
import { archiveChecks } from './chapters/archive-checks';
import { baseModels } from './chapters/base-models';
import { baseUploads } from './chapters/base-uploads';
import { storedContents } from './chapters/content-store';
import { graph } from './chapters/graph';
import { graphLists } from './chapters/graph-lists';
import { graphObjects } from './chapters/graph-objects';
import { publicationChecks } from './chapters/publication-checks';
import { publishedProjects } from './chapters/publishing';
import { publishCommand } from './chapters/publish-command';
import { publishingRejected } from './chapters/publishing-rejected';

/** Chapters of one file load the product once. */
describe('The graph', () => {
  graph();
});
describe('Lists of the graph', () => {
  graphLists();
});
describe('Objects of the graph', () => {
  graphObjects();
});
describe('Base models', () => {
  baseModels();
});
describe('Objects after a project', () => {
  appliedModels();
});
describe('Checks of archives', () => {
  archiveChecks();
});
describe('Uploads of base models', () => {
  baseUploads();
});
describe('Publishing', () => {
  publishedProjects();
});
describe('The store of contents', () => {
  storedContents();
});
describe('Results of a publication', () => {
  publicationChecks();
});
describe('Rejected publications', () => {
  publishingRejected();
  publishCommand();
});
