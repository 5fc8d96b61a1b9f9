### The language of the messages themselves.

# $locale (text) as the environment gives it
# $encoding (text) its part after the dot
language-needs-utf8 =
    the locale '{ $locale }' asks for { $encoding }, but Kurabe writes Japanese only in UTF-8.
    Messages are in English. For Japanese, use a UTF-8 terminal with LC_ALL=ja_JP.UTF-8.

# $language (text) as typed
language-unknown = unknown language '{ $language }': expected en or ja
