### Mistakes in a folder of definitions, and in the files client.toml and app.toml.

### The folder and its files

# $error (text)
definitions-open = cannot open the folder of definitions: { $error }

# $parts (series)
definitions-no-parts = a folder of definitions holds at least one of the folders { $parts }

# $error (text)
definitions-unreadable = cannot read the file: { $error }

# $folder (text)
definitions-link = the file is a link to a place outside of '{ $folder }'; copy the file

# $file (text)
definitions-misspelt = a definition has the name '{ $file }'; rename the file

definitions-name = a name has 1 to 64 of the characters a to z, 0 to 9, '-' and '_'

# $name (text)
# $folder (text)
definitions-name-differs = the name is '{ $name }', but the folder is '{ $folder }'; make both the same

# $thing (message) store, client, app, study
# $name (text)
definitions-taken =
    { $thing } '{ $name }' exists already; choose another name, or set replaces = true to replace it

# $thing (message)
# $name (text)
definitions-replaces-nothing = replaces = true, but there is no { $thing } '{ $name }' to replace; leave it out

# $name (text)
definitions-extends-circle = extends = '{ $name }' makes a circle, because '{ $name }' extends this store in turn

# $name (text)
definitions-also = 'also' has '{ $name }', which is no name, or that of another client; choose another

### Clients and apps

# $example (text)
definitions-no-program = 'run' names no program; write { $example }, or an interpreter and a file

# $product (text)
definitions-product-outside = the product '{ $product }' is outside of the folder that the build fills; put it inside

definitions-link-is-proxy = a bandwidth limit needs is_proxy = true

definitions-app-before = an app needs [[before]] with stores and at least one client, or is_proxy = true
