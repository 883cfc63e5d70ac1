module gw/scripts/tokens

go 1.26.6

// Only config/gitleaks.toml is read: the rules of Gitleaks as data.
require github.com/zricethezav/gitleaks/v8 v8.30.1
