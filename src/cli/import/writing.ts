/** The context that all parts of the writer share. */
import type { Facts, TeamLimits, TeamStorage } from '../../features/instance/facts.ts';
import type { Db } from '../../platform/database/database.ts';
import type { DiskSpace } from '../../platform/disk-space.ts';
import type { ImportReport } from './report.ts';

export interface Writing {
  db: Db;
  teamId: number;
  vendor: string;
  limits: TeamLimits;
  facts: Pick<Facts, 'secret' | 'dkimPrimes' | 'mailHost' | 'reportHost' | 'mailPorts' | 'baseUrl'>;
  disk: DiskSpace;
  storage: TeamStorage;
  report: ImportReport;
  /** True for a dry run: everything is read and compared, but nothing is stored. */
  isDry: boolean;
  /** False if the operator decides that subscribers have to confirm again (--consent none). */
  isConfirmed: boolean;
}
