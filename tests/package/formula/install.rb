# Installs a Homebrew formula without Homebrew: `ruby install.rb FORMULA SYSTEM CPU FILES PREFIX`, such as `macos arm`.
# FILES is the folder with the files of the release, which stand for the formula's downloads. Defines the part of
# Homebrew's language for formulae that gw's formula uses, with the same refusals: no file, another checksum.
require "digest"
require "fileutils"
require "open3"
require "pathname"
require "tmpdir"

FORMULA, SYSTEM, CPU, FILES = ARGV
PREFIX = Pathname(ARGV.fetch(4))

class Pathname
  def install(files)
    mkpath
    files.each { |from, to| FileUtils.mv(from, self + to) }
  end

  # Homebrew makes the folder, and doesn't replace a file.
  def write(text)
    raise "#{self} exists" if exist?

    dirname.mkpath
    File.write(to_s, text)
  end
end

module Utils
  def self.safe_popen_read(*command)
    output, status = Open3.capture2(*command.map(&:to_s))
    raise "#{command} failed" unless status.success?

    output
  end
end

class Formula
  class << self
    attr_reader :tested

    def given
      @given ||= {}
    end

    %i[desc homepage license url sha256 version].each do |name|
      define_method(name) do |text|
        raise "#{name} is given twice" if given.key?(name)

        given[name] = text
      end
    end

    def test(&block)
      @tested = block
    end

    { on_macos: "macos", on_linux: "linux", on_arm: "arm", on_intel: "intel" }.each do |name, machine|
      define_method(name) { |&block| block.call if [SYSTEM, CPU].include?(machine) }
    end
  end

  def version = self.class.given.fetch(:version)
  def bin = PREFIX + "bin"
  def man1 = PREFIX + "share/man/man1"
  def chmod(mode, file) = FileUtils.chmod(mode, file)
  def shell_output(command) = Utils.safe_popen_read("sh", "-c", command)
  def assert_match(expected, actual) = actual.include?(expected) || raise("#{actual} lacks #{expected}")

  def generate_completions_from_executable(*command)
    %w[bash zsh fish].each { |shell| (PREFIX + "completions" + shell).write(Utils.safe_popen_read(*command, shell)) }
  end
end

load FORMULA
given = Gw.given
download = File.join(FILES, File.basename(given.fetch(:url)))
raise "#{download} has another checksum" unless Digest::SHA256.file(download).hexdigest == given.fetch(:sha256)

formula = Gw.new
Dir.mktmpdir do |folder|
  # A download isn't executable.
  FileUtils.install(download, folder, mode: 0o644)
  Dir.chdir(folder) { formula.install }
end
formula.instance_eval(&Gw.tested)
