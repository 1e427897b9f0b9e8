/** A query as it is saved and compared: without what is selected, in one order. */
export function savedQuery(search: string): string {
  const params = new URLSearchParams(search);
  params.delete('i');
  params.sort();
  return params.toString();
}
