const home = 'https://github.com/coppice/coppice';

/** The public addresses of the project. All other code reads them from here. */
export const projectAddresses = {
  /**
   * Whether the packages are published on npm. Set it to true with the first release; the site then offers `npx
   * coppice`.
   */
  published: false,
  repository: home,
  bugs: `${home}/issues`,
  /** Returns the page of a package, by its folder. */
  packageHome: (folder: string): string => `${home}/tree/main/packages/${folder}#readme`,
};
