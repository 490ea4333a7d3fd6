/** The source of the generated client's types. */
import { openApiDocument, routes } from '@coppice/server';
import openapiTs, { astToString } from 'openapi-typescript';

const head = `/* Generated from the table of routes: npm run client -w @coppice/server. Do not edit. */

`;

/** `paths.ts`, from the routes as they are. */
export async function clientSource(): Promise<string> {
  const document = JSON.parse(JSON.stringify(openApiDocument(routes)));
  return head + astToString(await openapiTs(document, { alphabetize: true }));
}
