import { serviceTable } from '@app/start';

/** As Prometheus knows them by `job`. */
export const serviceNames: string[] = serviceTable.map(({ name }) => name);
