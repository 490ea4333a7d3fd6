import { AppError } from '@coppice/core';
import { readFile } from '#platform/system';
import type { Config } from '../config/contract.ts';
import { type Catalogue, type CatalogueRow, createCatalogue } from './index.ts';
import { parseCatalogue } from './rows.ts';

/**
 * Builds the catalogue for a configuration: built-in rows, the operator's file, then the settings of single models.
 */
export async function loadCatalogue(config: Pick<Config, 'models' | 'catalogueFile'>): Promise<Catalogue> {
  return createCatalogue(
    config.models,
    config.catalogueFile === undefined ? [] : await readCatalogueRows(config.catalogueFile),
  );
}

async function readCatalogueRows(file: string): Promise<readonly CatalogueRow[]> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    const message = `The catalogue ${file} cannot be read: ${said}.`;
    throw new AppError({ code: 'catalogue/invalid', kind: 'invalid', message, cause });
  }
  return parseCatalogue(value, `The catalogue ${file}`);
}
