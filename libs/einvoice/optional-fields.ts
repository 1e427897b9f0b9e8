import { invoiceLimits as limits } from '@app/contracts';
import { AppError } from '@app/kernel';

/** Reads fields that an invoice can do without: of one that cannot be read, null, and a sentence among the warnings. */
export class OptionalFields {
  readonly warnings: string[] = [];

  read<T>(parse: () => T): T | null {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unmappable') throw error;
      if (this.warnings.length < limits.warnings) this.warnings.push(error.message);
      return null;
    }
  }
}
