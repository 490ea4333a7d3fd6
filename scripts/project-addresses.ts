const home = 'https://github.com/coppice/coppice';

/** The public addresses of the project. Everything that names one takes it from here. */
export const projectAddresses = {
  /** Whether the packages are in the registry of npm. Set with the first release: the site then offers `npx coppice`. */
  published: false,
  repository: home,
  bugs: `${home}/issues`,
  /** The page of a package, by its folder. */
  packageHome: (folder: string): string => `${home}/tree/main/packages/${folder}#readme`,
};
