//! A browser without a window, driven through chromedriver.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::{Answer, ask};

/// It is there as long as this is.
pub(crate) struct Browser {
    driver: Child,
    address: String,
    session: String,
    _profile: tempfile::TempDir,
}

/// How often it is tried to start one.
const ATTEMPTS: usize = 5;

/// Nothing on a page takes longer.
const PATIENCE: Duration = Duration::from_secs(60);

const FLAGS: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
];

impl Browser {
    /// None, with a word about it, where no browser is installed.
    pub(crate) fn start() -> Option<Self> {
        let (Some(driver), Some(chromium)) = (installed("chromedriver"), installed("chromium"))
        else {
            println!("skipped: chromium and chromedriver are not installed");
            return None;
        };
        // On a busy machine a driver may not get its port, or break off as it starts.
        let mut attempts = (0..ATTEMPTS).map(|_| Self::attempt(&driver, &chromium));
        Some(attempts.find_map(|browser| browser).expect("a browser starts"))
    }

    fn attempt(driver: &std::path::Path, chromium: &std::path::Path) -> Option<Self> {
        let profile = tempfile::tempdir().expect("there is room for a profile");
        let port = free_port();
        let mut driver = Command::new(driver);
        driver.arg(format!("--port={port}")).stdout(Stdio::null()).stderr(Stdio::null());
        let driver = driver.spawn().expect("chromedriver starts");
        let mut browser = Self {
            driver,
            address: format!("127.0.0.1:{port}"),
            session: String::new(),
            _profile: profile,
        };
        (browser.driver_listens() && browser.begin_session(chromium)).then_some(browser)
    }

    fn driver_listens(&mut self) -> bool {
        let started = Instant::now();
        while std::net::TcpStream::connect(&self.address).is_err() {
            let gone = !matches!(self.driver.try_wait(), Ok(None));
            if gone || started.elapsed() > PATIENCE {
                return false;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        true
    }

    /// Says whether there is one now.
    fn begin_session(&mut self, chromium: &std::path::Path) -> bool {
        let mut flags: Vec<String> = FLAGS.iter().map(ToString::to_string).collect();
        flags.push(format!("--user-data-dir={}", self._profile.path().display()));
        let options = json!({ "args": flags, "binary": chromium });
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": { "browser": "ALL" } } } });
        let answer = self.answer("POST", "/session", wanted);
        if answer.status != 200 {
            println!("no session: {} {}", answer.status, answer.text);
            return false;
        }
        let value = &answer.json()["value"];
        self.session = value["sessionId"].as_str().expect("a session begins").to_string();
        true
    }

    fn tell(&self, method: &str, path: &str, body: Value) -> Value {
        let answer = self.answer(method, path, body);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        answer.json()["value"].clone()
    }

    fn answer(&self, method: &str, path: &str, body: Value) -> Answer {
        let body = if method == "GET" { String::new() } else { body.to_string() };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address,
            body.len()
        );
        ask(&self.address, &request)
    }

    pub(crate) fn visit(&self, address: &str) {
        self.tell("POST", &format!("/session/{}/url", self.session), json!({ "url": address }));
    }

    /// Runs a function body on the page.
    pub(crate) fn run(&self, script: &str, arguments: Value) -> Value {
        let body = json!({ "script": script, "args": arguments });
        self.tell("POST", &format!("/session/{}/execute/sync", self.session), body)
    }

    /// Waits until an expression is true on the page.
    pub(crate) fn until(&self, expression: &str) {
        let (script, started) = (format!("return !!({expression})"), Instant::now());
        while self.run(&script, json!([])) != Value::Bool(true) {
            assert!(started.elapsed() < PATIENCE, "never true: {expression}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub(crate) fn click(&self, id: &str) {
        self.run("document.getElementById(arguments[0]).click()", json!([id]));
    }

    pub(crate) fn text(&self, id: &str) -> String {
        let text =
            self.run("return document.getElementById(arguments[0]).textContent", json!([id]));
        text.as_str().unwrap_or_default().to_string()
    }

    /// Asks the browser itself, not the page.
    pub(crate) fn devtools(&self, command: &str, parameters: Value) -> Value {
        let body = json!({ "cmd": command, "params": parameters });
        self.tell("POST", &format!("/session/{}/goog/cdp/execute", self.session), body)
    }

    /// As somebody has it who likes it dark, or not.
    pub(crate) fn prefers(&self, scheme: &str) {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": [feature] }));
    }

    /// The width and height of the window.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", size);
    }

    /// Presses a key, by its code in the WebDriver protocol.
    pub(crate) fn press(&self, key: char) {
        let keys = json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        let body = json!({ "actions": [{ "type": "key", "id": "keys", "actions": keys }] });
        self.tell("POST", &format!("/session/{}/actions", self.session), body);
    }

    /// What the page complained of: errors of scripts and breaches of its policy.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let path = format!("/session/{}/se/log", self.session);
        let log = self.tell("POST", &path, json!({ "type": "browser" }));
        let messages = log.as_array().into_iter().flatten();
        let messages = messages.filter_map(|entry| entry["message"].as_str().map(str::to_string));
        // That a request was refused is part of some tests.
        messages
            .filter(|one| !one.contains("status of 422") && !one.contains("status of 404"))
            .collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let request = format!(
            "DELETE /session/{} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            self.session, self.address
        );
        if !self.session.is_empty() {
            ask(&self.address, &request);
        }
        // It may have ended by itself.
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn installed(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    listener.local_addr().expect("it is bound").port()
}
