import type { Db } from '../../platform/database.ts';
export async function runContactImport(_db: Db, _teamId: number, _importId: string): Promise<void> {}
