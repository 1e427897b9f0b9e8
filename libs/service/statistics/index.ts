export { type CountedParts, countedIds, countedParameters } from './counted-in.ts';
export {
  askedBy,
  type FigureDeps,
  type FigureRoute,
  figureRoute,
  groupName,
  type NamesOf,
  rangeFields,
  rangeResponse,
  readRows,
  withNames,
} from './figure-route.ts';
export { type Asked, ageClasses, dayAfter, itemsOf, type Question, questionSchema } from './question.ts';
export {
  type Countable,
  createStatistics,
  type Row,
  recount,
  type Statistics,
  type StatisticsSource,
  uncountedIndex,
} from './statistics-store.ts';
