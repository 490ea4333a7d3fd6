/** Generates the source of the client's types. */
import { buildOpenApiDocument, routes } from '@coppice/server';
import openapiTs, { astToString } from 'openapi-typescript';

const head = `/* Generated from the table of routes: npm run client -w @coppice/server. Do not edit. */

`;

/** Generates `paths.ts` from the current routes. */
export async function generateClientSource(): Promise<string> {
  const document = JSON.parse(JSON.stringify(buildOpenApiDocument(routes)));
  return head + astToString(await openapiTs(document, { alphabetize: true }));
}
