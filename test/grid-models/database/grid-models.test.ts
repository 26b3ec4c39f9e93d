import { graph } from './chapters/graph';
import { graphLists } from './chapters/graph-lists';
import { publishedProjects } from './chapters/publishing';
import { publishingRefused } from './chapters/publishing-refused';

/** Chapters of one file load the product once. */
describe('The graph', () => {
  graph();
});
describe('Lists of the graph', () => {
  graphLists();
});
describe('Publishing', () => {
  publishedProjects();
});
describe('Publishing that is refused', () => {
  publishingRefused();
});
